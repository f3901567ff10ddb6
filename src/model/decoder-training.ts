/**
 * Scoring and gradients of packed sequences. Block inputs survive the forward pass (gradient checkpointing); the backward
 * pass computes a block again before differentiating it, unless there was room to keep its activations. After the last
 * attention only scored rows go on.
 */
import type { PackedSequences, Tensor } from "../compute/index.ts";
import { type Block, type BlockActivations, type BlockContext, blockForward } from "./block.ts";
import { blockBackward } from "./block-backward.ts";
import type { ModelConfig } from "./config.ts";
import { headLogits, headName } from "./head.ts";
import { EMBEDDING, FINAL_NORM, layerPrefix } from "./layout.ts";
import type { ParameterSet } from "./parameters.ts";

/** Sequences packed one after another. */
export interface TrainBatch {
  /** Tokens [N]. */
  ids: Int32Array;
  /** [S + 1]: sequence s owns rows offsets[s] .. offsets[s + 1] of `ids`. */
  offsets: Int32Array;
  /** [R]: rows whose prediction is scored; any order. */
  rows: Int32Array;
  /** [R]: the token whose log-probability is taken at each of `rows`; in training the next token of the sequence. */
  targets: Int32Array;
}

/** Of each scored row: log-probability of its target, and entropy of its distribution (nats). */
export interface TokenScores {
  logprobs: Float32Array;
  entropy: Float32Array;
}

/** A batch is malformed. */
export class BatchError extends Error {
  override name = "BatchError";
}

interface Packed {
  ids: Tensor;
  positions: Tensor;
  sequences: PackedSequences;
}

/** What the output layer leaves for its backward pass. */
interface HeadActivations {
  targets: Tensor;
  /** Residual stream of the scored rows before and after the final norm [R, D]. */
  x: Tensor;
  h: Tensor;
  logZ: Tensor;
  scores: TokenScores;
}

export async function score(context: BlockContext, parameters: ParameterSet, blocks: readonly Block[], batch: TrainBatch): Promise<TokenScores> {
  checkBatch(batch, context.config);
  if (batch.rows.length === 0) return { logprobs: new Float32Array(0), entropy: new Float32Array(0) };
  const packed = pack(context, batch.ids, batch.offsets);
  const x = runBlocks(context, parameters, blocks, packed, upload(context, batch.rows));
  return (await scoreHead(context, parameters, x, batch.targets)).scores;
}

/** Logits [T, V] of one sequence. */
export function packedLogits(context: BlockContext, parameters: ParameterSet, blocks: readonly Block[], ids: Int32Array): Tensor {
  const packed = pack(context, ids, Int32Array.of(0, ids.length));
  return headLogits(context, parameters, runBlocks(context, parameters, blocks, packed, null));
}

export async function accumulate(
  context: BlockContext,
  parameters: ParameterSet,
  blocks: readonly Block[],
  batch: TrainBatch,
  weights: (logprobs: Float32Array, entropy: Float32Array) => Float32Array,
  gradients: ParameterSet,
  activationBudget: number,
): Promise<TokenScores> {
  const { device, config, arena } = context;
  checkBatch(batch, config);
  if (batch.rows.length === 0) return { logprobs: new Float32Array(0), entropy: new Float32Array(0) };

  const embedding = gradients.has(EMBEDDING) ? gradients.get(EMBEDDING) : null;
  const lowest = embedding ? 0 : lowestTrained(config, gradients);

  // inputs[l] is the input of block l. The last block's activations are kept in any case: the backward pass begins there.
  const packed = pack(context, batch.ids, batch.offsets);
  const rows = upload(context, batch.rows);
  const inputs = [embed(context, parameters, packed)];
  const kept: (BlockActivations | null)[] = [];
  let room = activationBudget;
  for (let layer = 0; layer < blocks.length; layer++) {
    const last = layer === blocks.length - 1;
    const out = arena.take([last ? rows.size : batch.ids.length, config.hiddenSize]);
    const mark = arena.mark();
    const activations = blockForward(context, blocks[layer], inputs[layer], packed.positions, packed.sequences, last ? rows : null, out);
    const bytes = arena.bytesSince(mark);
    const keep = layer >= lowest && (last || bytes <= room);
    if (keep) room -= bytes;
    else arena.release(mark);
    kept.push(keep ? activations : null);
    inputs.push(out);
    device.submit();
  }
  const head = await scoreHead(context, parameters, inputs[blocks.length], batch.targets);

  const weight = weights(head.scores.logprobs, head.scores.entropy);
  if (weight.length !== batch.rows.length) throw new BatchError(`weights returned ${weight.length} values for ${batch.rows.length} scored rows`);
  let dOut = headBackward(context, parameters, head, weight, gradients);

  const dx = arena.take(inputs[0].shape);
  for (let layer = blocks.length - 1; layer >= lowest; layer--) {
    const mark = arena.mark();
    const saved = kept[layer] ?? blockForward(context, blocks[layer], inputs[layer], packed.positions, packed.sequences, null, null);
    blockBackward(context, blocks[layer], saved, packed.positions, packed.sequences, dOut, dx, gradients, layer > lowest || embedding !== null);
    dOut = dx;
    arena.release(mark);
    device.submit();
  }
  if (embedding) device.embeddingBackward(packed.ids, dx, embedding);
  device.submit();
  return head.scores;
}

function embed({ device, config, arena }: BlockContext, parameters: ParameterSet, packed: Packed): Tensor {
  const x = arena.take([packed.ids.size, config.hiddenSize]);
  device.embedding(packed.ids, parameters.get(EMBEDDING), x);
  return x;
}

/** Forward pass that keeps nothing but the last block's output, of `rows` only unless null. */
function runBlocks(context: BlockContext, parameters: ParameterSet, blocks: readonly Block[], packed: Packed, rows: Tensor | null): Tensor {
  const { device, arena } = context;
  let x = embed(context, parameters, packed);
  let spare = arena.take(x.shape);
  blocks.forEach((block, layer) => {
    const keep = layer === blocks.length - 1 ? rows : null;
    const out = keep ? arena.take([keep.size, x.shape[1]]) : spare;
    const mark = arena.mark();
    blockForward(context, block, x, packed.positions, packed.sequences, keep, out);
    arena.release(mark);
    [x, spare] = [out, x];
    device.submit();
  });
  return x;
}

/** Scores the targets [R] of the residual stream x [R, D], and reads the scores back. */
async function scoreHead(context: BlockContext, parameters: ParameterSet, x: Tensor, targetIds: Int32Array): Promise<HeadActivations> {
  const { device, config, arena } = context;
  const count = targetIds.length;
  const targets = upload(context, targetIds);
  const h = arena.take(x.shape);
  device.rmsNorm(x, parameters.get(FINAL_NORM), h, config.rmsNormEps);
  const logZ = arena.take([count]);
  const both = arena.take([2 * count]);
  device.targetLogprobs(h, parameters.get(headName(config)), targets, arena.view(both, [count]), arena.view(both, [count], count), logZ);
  const values = (await device.read(both)) as Float32Array;
  return { targets, x, h, logZ, scores: { logprobs: values.slice(0, count), entropy: values.slice(count) } };
}

/** The gradient [R, D] of Σ weight · logprob with respect to the last block's output. */
function headBackward({ device, config, arena }: BlockContext, parameters: ParameterSet, head: HeadActivations, weight: Float32Array, gradients: ParameterSet): Tensor {
  const mark = arena.mark();
  const name = headName(config);
  const weights = arena.take([weight.length]);
  device.write(weights, weight);
  const dh = arena.take(head.h.shape);
  device.targetLogprobsBackward(head.h, parameters.get(name), head.targets, head.logZ, weights, dh, gradients.has(name) ? gradients.get(name) : null);
  // h is not needed any more: its buffer takes the gradient of the norm's input.
  const dNorm = gradients.has(FINAL_NORM) ? gradients.get(FINAL_NORM) : null;
  device.rmsNormBackward(head.x, parameters.get(FINAL_NORM), dh, head.h, dNorm, config.rmsNormEps);
  arena.release(mark);
  return head.h;
}

/** The lowest layer with a parameter to train; below it no gradient is needed. */
function lowestTrained(config: ModelConfig, gradients: ParameterSet): number {
  for (let layer = 0; layer < config.layers; layer++) {
    if (gradients.names.some((name) => name.startsWith(layerPrefix(layer)))) return layer;
  }
  return config.layers;
}

function upload({ device, arena }: BlockContext, values: Int32Array): Tensor {
  const tensor = arena.take([values.length], "i32");
  device.write(tensor, values);
  return tensor;
}

function pack(context: BlockContext, ids: Int32Array, offsets: Int32Array): Packed {
  const positions = new Int32Array(ids.length);
  let maxLength = 0;
  for (let s = 0; s + 1 < offsets.length; s++) {
    maxLength = Math.max(maxLength, offsets[s + 1] - offsets[s]);
    for (let row = offsets[s]; row < offsets[s + 1]; row++) positions[row] = row - offsets[s];
  }
  return { ids: upload(context, ids), positions: upload(context, positions), sequences: { offsets: upload(context, offsets), maxLength } };
}

function checkBatch({ ids, offsets, rows, targets }: TrainBatch, config: ModelConfig): void {
  if (ids.length === 0) throw new BatchError("the batch holds no tokens");
  if (offsets.length < 2 || offsets[0] !== 0 || offsets[offsets.length - 1] !== ids.length) {
    throw new BatchError(`offsets must begin with 0 and end with ${ids.length}, the number of tokens`);
  }
  for (let s = 1; s < offsets.length; s++) if (offsets[s] <= offsets[s - 1]) throw new BatchError(`offsets must ascend; sequence ${s - 1} has ${offsets[s] - offsets[s - 1]} rows`);
  if (targets.length !== rows.length) throw new BatchError(`there are ${rows.length} scored rows but ${targets.length} targets`);
  within("ids", ids, config.vocabSize);
  within("targets", targets, config.vocabSize);
  within("rows", rows, ids.length);
}

function within(name: string, values: Int32Array, limit: number): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i] < 0 || values[i] >= limit) throw new BatchError(`${name}[${i}] is ${values[i]}, expected 0 to ${limit - 1}`);
  }
}
