/**
 * The state of a training run after an update, as one file, so that it is written whole or not at all: a safetensors
 * file with the adapter, both AdamW moments, and everything else as JSON in its metadata.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type HostTensor, type ParameterSet, Safetensors, writeSafetensors } from "../model/index.ts";
import type { Storage } from "../storage/index.ts";

export const CHECKPOINT_KEY = "checkpoint.safetensors";
const VERSION = 2;

/** The checkpoint cannot be continued: damaged, of another version, or of another run. */
export class CheckpointError extends Error {
  override name = "CheckpointError";
}

export interface CheckpointState {
  /** Updates done. */
  update: number;
  /** Optimizer steps taken; an update without a mixed group takes none. */
  steps: number;
  /** The run's settings; a resumed run must have the same. */
  config: unknown;
  modelHash: string;
  /** Adapter hash after the last update, checked on loading. */
  adapterHash: string;
  /** State of the task source. */
  cursor: unknown;
}

export interface TrainedTensors {
  adapter: ParameterSet;
  /** First and second AdamW moments. */
  m: ParameterSet;
  v: ParameterSet;
}

const PARTS = ["adapter", "m", "v"] as const;

/**
 * Saves the state, and sets the tensors to what was saved: a device that computes with more digits than f32 (the
 * reference) would otherwise go on differently from a resumed run.
 */
export async function saveCheckpoint(storage: Storage, tensors: TrainedTensors, state: CheckpointState): Promise<void> {
  const named: [string, HostTensor][] = [];
  for (const part of PARTS) {
    const values = await tensors[part].read();
    tensors[part].write(values);
    for (const [name, value] of values) named.push([`${part}.${name}`, value]);
  }
  await storage.write(CHECKPOINT_KEY, writeSafetensors(named, "F32", { frogpond_checkpoint: String(VERSION), state: JSON.stringify(state), tensors: hashOf(named) }));
}

function hashOf(tensors: readonly (readonly [string, HostTensor])[]): string {
  const hash = sha256.create();
  for (const [name, { data }] of tensors.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(utf8ToBytes(name));
    hash.update(new Uint8Array(Float32Array.from(data).buffer));
  }
  return bytesToHex(hash.digest());
}

const damaged = (what: string) => new CheckpointError(`the checkpoint is damaged (${what}); start the run again in another folder`);

/** Reads the run's checkpoint; null when there is none. Tensors are not touched. Throws `CheckpointError`. */
export async function readCheckpoint(storage: Storage): Promise<{ state: CheckpointState; restore(tensors: TrainedTensors): void } | null> {
  const bytes = await storage.read(CHECKPOINT_KEY);
  if (!bytes) return null;
  let file: Safetensors;
  try {
    file = Safetensors.parse(bytes, CHECKPOINT_KEY);
  } catch (error) {
    throw damaged((error as Error).message);
  }
  const version = file.metadata.frogpond_checkpoint;
  if (version !== String(VERSION)) {
    throw new CheckpointError(`the checkpoint has format version ${version ?? "unknown"} and this program reads version ${VERSION}; continue it with the program that wrote it, or start a new run`);
  }
  let state: CheckpointState;
  try {
    state = JSON.parse(file.metadata.state) as CheckpointState;
  } catch {
    throw damaged("its state is not JSON");
  }
  const hash = hashOf(file.names.map((name) => [name, { shape: file.shape(name), data: file.float32(name) }]));
  if (hash !== file.metadata.tensors) throw damaged("its tensors do not have the hash they were saved with");
  return {
    state,
    restore(tensors) {
      for (const part of PARTS) {
        const values = tensors[part].names.map((name): [string, HostTensor] => [name, { shape: file.shape(`${part}.${name}`), data: file.float32(`${part}.${name}`) }]);
        tensors[part].write(new Map(values));
      }
    },
  };
}
