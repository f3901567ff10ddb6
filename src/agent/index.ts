export * from "./trajectory.ts";
export { CAPS, type Caps } from "./caps.ts";
export { EpisodeError, runEpisode, type EpisodeEvent, type EpisodeOptions } from "./loop.ts";
export { parseCalls } from "./parse-calls.ts";
export { SYSTEM_PROMPT, TOOLS } from "./prompt.ts";
export { Toolbox, type ToolResult } from "./tools.ts";
