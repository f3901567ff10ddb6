export * from "./chat.ts";
