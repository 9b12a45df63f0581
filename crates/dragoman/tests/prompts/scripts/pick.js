// A script that asks: what it wants goes out on stdout, the answers come in on stdin.
const lines = require("node:readline").createInterface({ input: process.stdin });
const heard = lines[Symbol.asyncIterator]();
const say = (what) => console.log(JSON.stringify(what));
const hear = async () => JSON.parse((await heard.next()).value);

(async () => {
  say({
    type: "select", id: "s", placeholder: "Which ones?", choices: ["a", "b", "c"],
    actions: [{ name: "Help", shortcut: "ctrl+o", hasAction: true, value: "h" }],
  });
  say({ type: "setInput", text: "" });
  let told = await hear();
  const actions = [];
  while (told.type === "actionTriggered") {
    actions.push(`${told.action}=${told.value}`);
    told = await hear();
  }
  const chosen = JSON.parse(told.value);
  say({ type: "editor", id: "e", content: chosen.join("\n") });
  const edited = await hear();
  console.log(actions.join(), edited.value);
  say({ type: "exit", code: 4 });
})();
