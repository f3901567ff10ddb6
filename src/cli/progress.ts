/** Progress on stderr: one rewritten bar with the time left on a terminal, a plain line now and then elsewhere. */
export interface Progress {
  /** `done` of the total; `note` is shown behind the bar. */
  update(done: number, note?: string): void;
  /** Ends the bar and leaves its last state on screen. */
  end(note?: string): void;
}

export interface ProgressOptions {
  /** Steps that an earlier run had already done; they do not count as speed. */
  restored?: number;
  stream?: { write(text: string): unknown; isTTY?: boolean; columns?: number };
  /** Milliseconds. */
  now?: () => number;
}

const BAR_WIDTH = 24;
const WIPE = "\r\x1b[2K";
const REDRAW_MS = 100;
const PLAIN_MS = 10_000;

export function startProgress(label: string, total: number, options: ProgressOptions = {}): Progress {
  const { restored = 0, stream = process.stderr, now = () => performance.now() } = options;
  const start = now();
  let done = restored;
  let note = "";
  let lastDrawn = -Infinity;

  const line = (ended: boolean): string => {
    const share = total > 0 ? Math.min(1, done / total) : 1;
    const elapsed = (now() - start) / 1000;
    const worked = done - restored;
    const time = ended ? `in ${duration(elapsed)}` : worked > 0 ? `${duration((elapsed / worked) * (total - done))} left` : "";
    const filled = Math.round(share * BAR_WIDTH);
    const bar = stream.isTTY ? `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ` : "";
    return `${label} ${bar}${done}/${total} ${time}${note ? `  ${note}` : ""}`.trimEnd();
  };
  const draw = (ended: boolean) => {
    lastDrawn = now();
    if (stream.isTTY) stream.write(`${WIPE}${line(ended).slice(0, (stream.columns || 80) - 1)}${ended ? "\n" : ""}`);
    else stream.write(line(ended) + "\n");
  };

  return {
    update(count, text) {
      done = count;
      note = text ?? note;
      if (now() - lastDrawn >= (stream.isTTY ? REDRAW_MS : PLAIN_MS)) draw(false);
    },
    end(text) {
      note = text ?? note;
      draw(true);
    },
  };
}

/** Wipes a bar off the terminal's line before other output; its next update draws it again. */
export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write(WIPE);
}

/** "8 s", "3 min 05 s", "1 h 02 min". */
export function duration(seconds: number): string {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}
