/**
 * Who holds which page of the key/value cache. A page is `pageSize` consecutive positions of one context.
 *
 * Sharing: full pages of a prompt are kept in a tree whose edges are the pages' token ids, so two prompts that begin
 * with the same ids hold the same pages. Only full pages are shared and a sequence writes only behind them, so nothing
 * is ever copied. Pages of the tree that nobody holds stay as a cache and are given up, least recently used first.
 *
 * Admission: no sequence is ever thrown out, so pages are granted only while some order exists in which every holder
 * could still grow to its longest context (the banker's algorithm, Dijkstra 1965, for one kind of resource). Otherwise
 * the request waits until somebody releases.
 */

interface PrefixNode {
  readonly key: string;
  readonly parent: PrefixNode | null;
  readonly children: Map<string, PrefixNode>;
  readonly page: number;
  holders: number;
  /** The page's keys and values have been computed (or are enqueued on the device). */
  ready: boolean;
}

/** The pages of one sequence. */
export interface Lease {
  /** Page of each block of `pageSize` positions. The first `shared.length` of them belong to the prefix tree. */
  readonly pages: number[];
  readonly shared: PrefixNode[];
  /** Leading positions whose keys and values were in the tree when the lease was opened. */
  found: number;
}

export class PagePool {
  private readonly free: number[] = [];
  private readonly root: PrefixNode = { key: "", parent: null, children: new Map(), page: -1, holders: 0, ready: true };
  /** Nodes without a holder, in the order to give them up: a child always comes before its parent. */
  private readonly unheld = new Set<PrefixNode>();
  private readonly leases = new Set<Lease>();

  /** `pagesPerSequence` is what the longest context needs; at least that many pages must exist. */
  constructor(readonly pageCount: number, readonly pageSize: number, readonly pagesPerSequence: number) {
    if (pageCount < pagesPerSequence) {
      throw new RangeError(
        `The key/value cache holds ${pageCount * pageSize} tokens, but one context may need ${pagesPerSequence * pageSize}; ` +
        `enlarge the cache or shorten the context`,
      );
    }
    for (let page = pageCount - 1; page >= 0; page--) this.free.push(page);
  }

  /** Pages that can be handed out now. */
  get available(): number {
    return this.free.length + this.unheld.size;
  }

  /**
   * Opens a lease that covers all of `ids`. Its leading full pages that lie inside ids[0, sharable) are taken from the
   * tree if they are there, and entered into it if not (for others to share once `computed`). At least one token is
   * left to compute, since its logits are wanted.
   *
   * Returns "pending" while another lease is still computing a page that this one would share, and "full" while the
   * pages cannot be granted.
   */
  open(ids: readonly number[], sharable: number): Lease | "pending" | "full" {
    const blocks = Math.floor(Math.min(sharable, ids.length - 1) / this.pageSize);
    const lease: Lease = { pages: [], shared: [], found: 0 };
    let node = this.root;
    for (let block = 0; block < blocks; block++) {
      const child = node.children.get(this.key(ids, block));
      if (child && !child.ready) return "pending";
      if (!child) break;
      lease.shared.push(child);
      lease.pages.push(child.page);
      node = child;
    }
    lease.found = lease.shared.length * this.pageSize;
    for (const shared of lease.shared) {
      if (shared.holders++ === 0) this.unheld.delete(shared);
    }
    this.leases.add(lease);
    if (!this.grow(lease, ids.length)) {
      this.release(lease);
      return "full";
    }
    for (let block = lease.shared.length; block < blocks; block++) {
      const key = this.key(ids, block);
      const child: PrefixNode = { key, parent: node, children: new Map(), page: lease.pages[block], holders: 1, ready: false };
      node.children.set(key, child);
      lease.shared.push(child);
      node = child;
    }
    return lease;
  }

  /** Adds pages until the lease covers `length` positions; false, and nothing changed, if they cannot be granted now. */
  grow(lease: Lease, length: number): boolean {
    const wanted = Math.ceil(length / this.pageSize) - lease.pages.length;
    if (wanted <= 0) return true;
    if (!this.safeAfter(lease, wanted)) return false;
    for (let n = 0; n < wanted; n++) lease.pages.push(this.takePage());
    return true;
  }

  /** The first `length` positions of the lease are computed: its pages up to there may be shared. */
  computed(lease: Lease, length: number): void {
    const full = Math.min(lease.shared.length, Math.floor(length / this.pageSize));
    for (let block = full - 1; block >= 0 && !lease.shared[block].ready; block--) lease.shared[block].ready = true;
  }

  release(lease: Lease): void {
    if (!this.leases.delete(lease)) return;
    for (let block = lease.pages.length - 1; block >= lease.shared.length; block--) this.free.push(lease.pages[block]);
    for (let block = lease.shared.length - 1; block >= 0; block--) {
      const node = lease.shared[block];
      if (--node.holders > 0) continue;
      if (node.ready) this.unheld.add(node);
      else this.drop(node);
    }
  }

  /** Forgets every page: the weights changed. All leases must have been released. */
  clear(): void {
    if (this.leases.size > 0) throw new Error("PagePool.clear: some sequences still hold pages");
    for (const node of this.unheld) this.drop(node);
    this.unheld.clear();
  }

  private key(ids: readonly number[], block: number): string {
    return ids.slice(block * this.pageSize, (block + 1) * this.pageSize).join(" ");
  }

  private drop(node: PrefixNode): void {
    node.parent!.children.delete(node.key);
    this.free.push(node.page);
  }

  private takePage(): number {
    const page = this.free.pop();
    if (page !== undefined) return page;
    const oldest = this.unheld.values().next().value!;
    this.unheld.delete(oldest);
    oldest.parent!.children.delete(oldest.key);
    return oldest.page;
  }

  /** Could every holder still reach its longest context, one after another, if `lease` got `wanted` more pages? */
  private safeAfter(lease: Lease, wanted: number): boolean {
    let available = this.available - wanted;
    if (available < 0) return false;
    let missing = -wanted;
    for (const each of this.leases) missing += this.pagesPerSequence - each.pages.length;
    if (missing <= available) return true;
    const holders = [...this.leases].map((each) => {
      const granted = each === lease ? wanted : 0;
      const sole = each.shared.reduce((count, node) => count + (node.holders === 1 ? 1 : 0), 0);
      return {
        missing: this.pagesPerSequence - each.pages.length - granted,
        returned: each.pages.length - each.shared.length + granted + sole,
      };
    });
    holders.sort((a, b) => a.missing - b.missing);
    for (const holder of holders) {
      if (holder.missing > available) return false;
      available += holder.returned;
    }
    return true;
  }
}
