/** A run's folder: what it holds, and whether a command may begin, continue or replace the run in it. */
import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as v from "valibot";
import { createFileStorage } from "../storage/index.node.ts";
import type { Storage } from "../storage/index.ts";
import { packageInfo } from "./package-info.ts";
import type { ExperimentPreset } from "./presets.ts";

const VERSION = 2;
const RUN_KEY = "run.json";
export const SUMMARY_KEY = "summary.json";
/** What a run writes beside its record; nothing else in the folder is ever removed. */
const PARTS = /^((tasks|evaluation|trajectories|adapter)\/|(checkpoint\.safetensors|metrics\.jsonl|summary\.json|report\.html)$)/;

/** The folder cannot be used in the way asked for. */
export class RunFolderError extends Error {
  override name = "RunFolderError";
}

/** What a run is. */
export interface RunIdentity {
  /** The command that began it: another one would leave other parts undone. */
  command: string;
  /** Numbers of different devices do not mix. */
  device: string;
  preset: ExperimentPreset;
  seed: number;
  modelHash: string;
}

const Record = v.looseObject({
  package: v.object({ name: v.string(), version: v.string() }),
  command: v.string(),
  device: v.string(),
  preset: v.custom<ExperimentPreset>((value) => typeof (value as ExperimentPreset | null)?.name === "string"),
  seed: v.number(),
  modelHash: v.string(),
});

export interface RunOptions {
  resume?: boolean;
  force?: boolean;
}

const LOCK_KEY = "run.lock";
/** Beside the lock while a dead one is being removed. */
const REMOVING = ".removing";

/**
 * Keeps other processes out of `dir` until the returned function is called. A lock whose process is gone does not count.
 * Throws `RunFolderError` when another process works there.
 */
export async function lockRun(dir: string): Promise<() => Promise<void>> {
  const path = join(dir, LOCK_KEY);
  // Unlike a file that is created and then written, a link shows up with its content; and only one process can make it.
  const own = join(dir, `${LOCK_KEY}.${process.pid}.${randomUUID()}`);
  const mark = `${process.pid} ${own}`;
  try {
    await mkdir(dir, { recursive: true });
    await writeFile(own, mark);
  } catch (error) {
    throw new RunFolderError(`no run can be kept in ${dir} (${(error as Error).message}); choose another folder with --out`);
  }
  try {
    for (let tries = 0; tries < 20; tries++) {
      try {
        await link(own, path);
        return async () => {
          if ((await readFile(path, "utf8").catch(() => "")) === mark) await rm(path, { force: true });
        };
      } catch (error) {
        if ((error as { code?: string }).code !== "EEXIST") throw error;
      }
      const held = await readFile(path, "utf8").catch(() => null);
      if (held === null) continue;
      const owner = Number.parseInt(held);
      if (isRunning(owner)) throw new RunFolderError(`process ${owner} is at work in ${dir}; wait for it, or choose another folder with --out (if no such run is under way, remove ${path})`);
      await removeDead(path, held, own);
    }
    throw new RunFolderError(`other processes are taking ${dir}; try again, or choose another folder with --out (if there are none, remove ${path} and ${path}${REMOVING})`);
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Removes the lock of a process that is gone. One process at a time may, and it looks again first: by then the lock may be
 * another's.
 */
async function removeDead(path: string, held: string, own: string): Promise<void> {
  try {
    await link(own, path + REMOVING);
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    return setTimeout(20);
  }
  try {
    if ((await readFile(path, "utf8").catch(() => null)) === held) await rm(path, { force: true });
  } finally {
    await rm(path + REMOVING, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/**
 * Opens `dir` for a new run of `wanted`, or with `resume` for the unfinished one in it, whose recorded identity is then
 * returned. A finished or unfinished run is only replaced with `force`. Throws `RunFolderError`.
 */
export async function openRun(dir: string, wanted: RunIdentity, { resume = false, force = false }: RunOptions): Promise<{ storage: Storage; identity: RunIdentity }> {
  if (resume && force) throw new RunFolderError("--resume goes on with a run and --force throws it away: give one of them");
  const storage = createFileStorage(dir);
  const data = await storage.read(RUN_KEY);
  const keys = (await storage.list("")).filter((key) => !key.startsWith(LOCK_KEY));
  if (!data && resume) throw new RunFolderError(`there is no run to resume in ${dir}; start it without --resume`);
  if (!data && keys.length > 0) throw new RunFolderError(`${dir} holds other files (${keys[0]}); choose an empty folder with --out`);
  if (data && !force) {
    if (await storage.read(SUMMARY_KEY)) throw new RunFolderError(`${dir} holds a finished run; choose another folder with --out, or replace it with --force`);
    if (!resume) throw new RunFolderError(`${dir} holds an unfinished run; continue it with --resume, or start again with --force`);
    return { storage, identity: recorded(dir, data, wanted) };
  }
  // The record stays until it is replaced, so that an interrupted removal still leaves a run that can be.
  for (const key of keys.filter((key) => PARTS.test(key))) await storage.remove(key);
  const record = { version: VERSION, package: await packageInfo(), ...wanted };
  await storage.write(RUN_KEY, JSON.stringify(record, null, 2) + "\n");
  return { storage, identity: wanted };
}

/** The run that is to be continued, which must be of the same command, preset, model and device. */
function recorded(dir: string, data: Uint8Array, wanted: RunIdentity): RunIdentity {
  const { command, device, preset, seed, modelHash } = parse(dir, data);
  if (command !== wanted.command) throw new RunFolderError(`the run in ${dir} was started by ${command}; resume it with that command, not with ${wanted.command}`);
  if (preset.name !== wanted.preset.name) throw new RunFolderError(`the run in ${dir} is one of preset "${preset.name}", not "${wanted.preset.name}"`);
  if (modelHash !== wanted.modelHash) throw new RunFolderError(`the run in ${dir} was started with model ${modelHash.slice(0, 12)}, not ${wanted.modelHash.slice(0, 12)}; give the same one with --model`);
  if (device !== wanted.device) throw new RunFolderError(`the run in ${dir} was started on device ${device}; resume it with --device ${device}`);
  return { command, device, preset, seed, modelHash };
}

function parse(dir: string, data: Uint8Array) {
  const damaged = (what: string) => new RunFolderError(`${dir}/${RUN_KEY} ${what}; the folder is damaged, start the run again in another one`);
  let value: { version?: unknown; package?: { name: string; version: string } } | null;
  try {
    value = JSON.parse(new TextDecoder().decode(data)) as typeof value;
  } catch {
    throw damaged("is not JSON");
  }
  if (value === null || typeof value !== "object") throw damaged("holds no object");
  if (value.version !== VERSION) {
    const writer = value.package ? ` (${value.package.name} ${value.package.version})` : "";
    throw new RunFolderError(`the run in ${dir} has format version ${JSON.stringify(value.version)}, this program writes version ${VERSION}; resume it with the program that started it${writer}, or start a new run in another folder`);
  }
  const parsed = v.safeParse(Record, value);
  if (!parsed.success) throw damaged(`has no good "${v.getDotPath(parsed.issues[0])}"`);
  return parsed.output;
}
