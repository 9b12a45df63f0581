//! What the SDK asks of a server: which tools and resources there are, and what becomes of a call.
//!
//! Must not know: what a tool means.

use super::client::{Client, Terms};
use super::fixtures;
use super::page;
use dragoman_dialects::mcp::{self, Answer};
use dragoman_model::{Code, Fault};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DiscoverResult,
    ErrorData, GetPromptRequestMethod, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SetLevelRequestMethod, SubscribeRequestParams,
    SubscriptionFilter, Tool, ToolAnnotations, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// Whoever waits hears of it after this long, and then again and again.
const FIRST_WORD: Duration = Duration::from_secs(1);
const NEXT_WORD: Duration = Duration::from_secs(5);

/// Who is behind a request.
pub trait Clients: Send + Sync + 'static {
    fn client(&self, context: &RequestContext<RoleServer>) -> Result<Arc<Client>, Fault>;
}

/// A connection with one client.
impl Clients for Arc<Client> {
    fn client(&self, _: &RequestContext<RoleServer>) -> Result<Arc<Client>, Fault> {
        Ok(self.clone())
    }
}

#[derive(Debug)]
pub struct Server<C> {
    clients: C,
    about: Arc<About>,
    instructions: String,
}

/// What every client is told alike.
#[derive(Debug)]
pub struct About {
    tools: Vec<Tool>,
    fixtures: bool,
}

impl About {
    pub fn new(terms: &Terms) -> Arc<Self> {
        let fixtures = terms.fixtures;
        let ours = mcp::tools(&terms.options.caps).into_iter().map(tool);
        let suites = fixtures.then(fixtures::tools).into_iter().flatten();
        let tools = ours.chain(suites).collect();
        Arc::new(Self { tools, fixtures })
    }
}

impl<C: Clients> Server<C> {
    pub fn new(clients: C, about: Arc<About>, instructions: String) -> Self {
        Self {
            clients,
            about,
            instructions,
        }
    }

    fn client(&self, context: &RequestContext<RoleServer>) -> Result<Arc<Client>, ErrorData> {
        self.clients
            .client(context)
            .map_err(|fault| refused(&fault))
    }
}

impl<C: Clients> ServerHandler for Server<C> {
    fn get_info(&self) -> ServerConfig {
        let can = match self.about.fixtures {
            true => fixtures::capabilities(),
            false => ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .enable_resources_subscribe()
                .build(),
        };
        ServerConfig::new(can)
            .with_server_info(Implementation::new("dragoman", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.instructions.clone())
    }

    /// Where versions without a handshake begin. What marks the text of pages is the client's own.
    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let about = self
            .get_info()
            .with_instructions(self.client(&context)?.instructions());
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, about))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.about.tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.about
            .tools
            .iter()
            .find(|tool| tool.name == name)
            .cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.about.fixtures
            && let Some(done) = fixtures::call(&request, &context).await
        {
            return done.map(Into::into);
        }
        let client = self.client(&context)?;
        let words = context.meta.get_progress_token();
        let args = request.arguments.unwrap_or_default();
        let call = client.call(&request.name, args, words.is_some());
        let answer = tokio::select! {
            biased;
            answer = call => answer,
            () = context.ct.cancelled() => Err(Fault::new(Code::Cancelled, "It was cancelled")),
            never = tell_progress(&context.peer, words, &request.name) => match never {},
        };
        answer.map(result).map_err(|fault| refused(&fault))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![page::resource()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if self.about.fixtures
            && let Some(read) = fixtures::read(&request.uri)
        {
            return read.map(Into::into);
        }
        page::check(&request.uri)?;
        let client = self.client(&context)?;
        let text = client.look().await.map_err(|fault| refused(&fault))?;
        Ok(page::contents(text).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.about.fixtures && fixtures::has(&request.uri) {
            return Ok(());
        }
        page::check(&request.uri)?;
        let client = self.client(&context)?;
        let told = client.changes().await.map_err(|fault| refused(&fault))?;
        client.page().tell(page::to_peer(told, context.peer));
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.about.fixtures && fixtures::has(&request.uri) {
            return Ok(());
        }
        page::check(&request.uri)?;
        self.client(&context)?.page().hush();
        Ok(())
    }

    /// There are none but the suite's.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.about.fixtures.then(fixtures::prompts);
        Ok(ListPromptsResult::with_all_items(
            prompts.unwrap_or_default(),
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.as_ref();
        let prompt = fixtures::prompt(&request.name, arguments).filter(|_| self.about.fixtures);
        match prompt {
            Some(prompt) => prompt.map(Into::into),
            None => Err(ErrorData::method_not_found::<GetPromptRequestMethod>()),
        }
    }

    /// We write no log to clients; the suite's tools do.
    #[allow(deprecated, reason = "the suite still asks for it")]
    async fn set_level(
        &self,
        _: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match self.about.fixtures {
            true => Ok(()),
            false => Err(ErrorData::method_not_found::<SetLevelRequestMethod>()),
        }
    }

    fn accepted_subscription_filter(
        &self,
        asked: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let uris = asked.resource_subscriptions.clone().unwrap_or_default();
        let mut accepted = SubscriptionFilter::default();
        accepted.resource_subscriptions =
            Some(uris.into_iter().filter(|uri| uri == page::URI).collect());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let client = self.client(context.request_context())?;
        let told = client.changes().await.map_err(|fault| refused(&fault))?;
        tokio::select! {
            () = page::to_sink(told, context.sink().clone()) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }
}

/// Never ends; without a token there is nobody to tell.
async fn tell_progress(
    peer: &Peer<RoleServer>,
    words: Option<ProgressToken>,
    tool: &str,
) -> Infallible {
    let Some(token) = words else {
        return std::future::pending().await;
    };
    let began = Instant::now();
    let mut beat = interval_at(began + FIRST_WORD, NEXT_WORD);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beat.tick().await;
        let seconds = began.elapsed().as_secs();
        let word = ProgressNotificationParam::new(token.clone(), began.elapsed().as_secs_f64())
            .with_message(format!("{tool} is under way ({seconds} s)"));
        if peer.notify_progress(word).await.is_err() {
            return std::future::pending().await;
        }
    }
}

fn tool(tool: mcp::Tool) -> Tool {
    let mut hints = ToolAnnotations::new();
    hints.read_only_hint = tool.read_only;
    hints.destructive_hint = tool.destructive;
    let any = hints != ToolAnnotations::default();
    let made = Tool::new(tool.name, tool.description, Arc::new(tool.input));
    match any {
        true => made.annotate(hints),
        false => made,
    }
}

fn result(answer: Answer) -> CallToolResponse {
    let mut content = Vec::with_capacity(1 + answer.pictures.len());
    if !answer.text.is_empty() {
        content.push(ContentBlock::text(answer.text));
    }
    for picture in answer.pictures {
        content.push(ContentBlock::image(picture.data, picture.mime));
    }
    let mut result = match answer.is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = answer.structured;
    result.into()
}

/// The request itself cannot be served; a call that failed is an answer instead.
fn refused(fault: &Fault) -> ErrorData {
    let data = Some(serde_json::json!({ "code": fault.code.as_str() }));
    let text = format!("{} ({})", fault.message, fault.suggestion);
    match fault.code {
        Code::Internal | Code::Interrupted => ErrorData::internal_error(text, data),
        _ => ErrorData::invalid_params(text, data),
    }
}
