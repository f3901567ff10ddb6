/** Every kernel's first parameter is the calling thread's own scratch memory. Pointers are byte addresses. */
export { attention, attentionCached, cacheWrite } from "./attention";
export { attentionBackward } from "./attention-backward";
export { adamw, add, sumSquares, swiglu, swigluBackward } from "./elements";
export { headGradient, targetLogprobs } from "./head";
export { biasBackward, linear, linearBackwardInput, linearBackwardWeight } from "./linear";
export { peak } from "./peak";
export { rope } from "./rope";
export { addPartials, embedding, embeddingBackward, rmsNorm, rmsNormBackward } from "./rows";
export { sample } from "./sample";
