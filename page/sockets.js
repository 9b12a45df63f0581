// Runs in a shared worker before its own script: sockets open only where the session's origin rules let them.
// RULES are [URLPattern, forbidden]; the first that fits decides, and an empty one fits everything. HERE is the worker's
// address: it does not know it yet, and Chromium falls over the question.
// Must not know: pages. Nothing the worker can replace is used later.

const { apply, construct } = Reflect;
const NativeURL = URL;
const Refusal = DOMException;
const test = URLPattern.prototype.test;
const href = Object.getOwnPropertyDescriptor(URL.prototype, 'href').get;
const rules = [];
for (const [pattern, forbidden] of RULES) rules.push({ __proto__: null, pattern: pattern && new URLPattern(pattern), forbidden });

function permits(address) {
  for (let i = 0; i < rules.length; i++) {
    const { pattern, forbidden } = rules[i];
    if (pattern === '' || apply(test, pattern, [address])) return !forbidden;
  }
  return true;
}

for (const name of ['WebSocket', 'WebSocketStream']) {
  const native = self[name];
  if (!native) continue;
  const wrapper = new Proxy(native, {
    __proto__: null,
    construct(target, args, kind) {
      if (!args.length) return construct(target, args, kind);
      const address = `${args[0]}`;
      // What is no address is the constructor's to refuse.
      let whole = '';
      try {
        whole = apply(href, new NativeURL(address, HERE), []);
      } catch {
        return construct(target, args, kind);
      }
      if (!permits(whole)) throw new Refusal(`Refused to connect to '${whole}'.`, 'SecurityError');
      args[0] = whole;
      return construct(target, args, kind);
    },
  });
  Object.defineProperty(native.prototype, 'constructor', { __proto__: null, value: wrapper, writable: true, configurable: true });
  Object.defineProperty(self, name, { __proto__: null, value: wrapper, writable: true, configurable: true });
}
