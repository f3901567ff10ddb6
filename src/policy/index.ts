export * from "./policy.ts";
export { createLocalPolicy, type LocalPolicy } from "./local.ts";
export { createScriptedPolicy, type ScriptedAnswer, type ScriptedTurn } from "./scripted.ts";
