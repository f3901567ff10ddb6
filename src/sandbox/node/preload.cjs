/**
 * Loaded into every Node process of the Node back end: the same seeded Math.random and frozen Date as the embedded
 * sandbox, and no network. It keeps honest code repeatable; it is no wall against hostile code.
 */
"use strict";
const EPOCH = Date.UTC(2024, 0, 1);
const RealDate = Date;
let now = 0;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [EPOCH + now] : args, newTarget),
  apply: () => new RealDate(EPOCH + now).toString(),
});
RealDate.now = () => EPOCH + now;
RealDate.prototype.constructor = globalThis.Date;

// Timers wait for real, and the clock moves on to a timer's due time when it fires.
const due = (ms) => now + (ms >= 1 && ms <= 2147483647 ? Math.trunc(ms) : 1);
const timers = require("node:timers");
for (const name of ["setTimeout", "setInterval"]) {
  const real = timers[name];
  const wrapped = (fn, ms, ...args) => {
    if (typeof fn !== "function") return real(fn, ms, ...args);
    let at = due(Number(ms));
    return real(
      (...given) => {
        now = Math.max(now, at);
        at = due(Number(ms));
        return fn(...given);
      },
      ms,
      ...args,
    );
  };
  Object.defineProperty(wrapped, require("node:util").promisify.custom, { value: real[require("node:util").promisify.custom] });
  timers[name] = globalThis[name] = wrapped;
}
const promises = require("node:timers/promises");
const wait = promises.setTimeout;
promises.setTimeout = async (ms, value, options) => {
  const at = due(Number(ms));
  const result = await wait(ms, value, options);
  now = Math.max(now, at);
  return result;
};

let s = 1;
Math.random = () => {
  s = (s + 0x6d2b79f5) | 0;
  let t = Math.imul(s ^ (s >>> 15), 1 | s);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const refuse = () => {
  throw Object.assign(new Error("there is no network in this sandbox"), { code: "ENETUNREACH" });
};
require("node:net").Socket.prototype.connect = refuse;
require("node:dgram").Socket.prototype.send = refuse;
for (const name of ["fetch", "WebSocket", "EventSource"]) delete globalThis[name];
require("node:module").syncBuiltinESMExports();
