//! `DOM`: nodes by their backend id, from where the page's own script cannot reach.

use super::{BackendNodeId, FrameId, ObjectId, runtime::RemoteObject};

calls! {
    "DOM.enable" => Enable;
    "DOM.disable" => Disable;
    "DOM.getFrameOwner" => GetFrameOwner { frame_id: FrameId } -> FrameOwner;
    "DOM.resolveNode" => ResolveNode with {
        backend_node_id: BackendNodeId,
        execution_context_id: i64,
        object_group: String,
    } -> ResolvedNode;
    "DOM.describeNode" => DescribeNode with {
        backend_node_id: BackendNodeId,
        object_id: ObjectId,
        depth: i64,
        pierce: bool,
    } -> DescribedNode;
    "DOM.setFileInputFiles" => SetFileInputFiles { files: Vec<String> } with {
        backend_node_id: BackendNodeId,
        object_id: ObjectId,
    };
    "DOM.getContentQuads" => GetContentQuads with {
        backend_node_id: BackendNodeId,
        object_id: ObjectId,
    } -> ContentQuads;
    "DOM.scrollIntoViewIfNeeded" => ScrollIntoViewIfNeeded with {
        backend_node_id: BackendNodeId,
        object_id: ObjectId,
    };
    "DOM.focus" => Focus with { backend_node_id: BackendNodeId, object_id: ObjectId };
}

parts! {
    FrameOwner { backend_node_id: BackendNodeId }
    ResolvedNode { object: RemoteObject }
    DescribedNode { node: Node }
    Node {
        backend_node_id: BackendNodeId,
        node_name: String,
        local_name: String,
        #[serde(default)]
        node_value: String,
        /// Names and values in turn.
        #[serde(default)]
        attributes: Vec<String>,
        /// The frame it owns or, for a document, is in.
        frame_id: Option<FrameId>,
        content_document: Option<Box<Node>>,
        #[serde(default)]
        shadow_roots: Vec<Node>,
        shadow_root_type: Option<String>,
        #[serde(default)]
        children: Vec<Node>,
    }
    /// Four corners each: x1 y1 … x4 y4, in CSS pixels of the viewport.
    ContentQuads { quads: Vec<[f64; 8]> }
}
