export * from "./trajectory.ts";
export { CAPS, type Caps } from "./caps.ts";
export { runEpisode } from "./loop.ts";
