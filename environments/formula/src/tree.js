/** The trees directly below a tree, from left to right. */
export function children(tree) {
  if (tree.kind === 'negative') return [tree.value];
  if (tree.kind === 'choice') return [tree.test, tree.yes, tree.no];
  if (tree.kind === 'call') return tree.inputs;
  if (tree.kind === 'pair') return [tree.left, tree.right];
  return [];
}

/** Number of trees in a tree, with itself. */
export function countNodes(tree) {
  let count = 1;
  for (const child of children(tree)) count += countNodes(child);
  return count;
}

/** Longest way down; a number or a name has depth 1. */
export function treeDepth(tree) {
  let deepest = 0;
  for (const child of children(tree)) {
    deepest = Math.max(deepest, treeDepth(child));
  }
  return deepest + 1;
}

/** Names that a tree needs, sorted, each once. */
export function namesIn(tree) {
  const names = new Set();
  if (tree.kind === 'name') names.add(tree.name);
  for (const child of children(tree)) {
    for (const name of namesIn(child)) names.add(name);
  }
  return [...names].sort();
}

/** Writes a tree with brackets around every pair. */
export function printTree(tree) {
  const parts = children(tree).map(printTree);
  if (tree.kind === 'number') return String(tree.value);
  if (tree.kind === 'name') return tree.name;
  if (tree.kind === 'negative') return '-' + parts[0];
  if (tree.kind === 'call') return tree.name + '(' + parts.join(', ') + ')';
  if (tree.kind === 'pair') {
    return '(' + parts[0] + ' ' + tree.sign + ' ' + parts[1] + ')';
  }
  return '(' + parts[0] + ' ? ' + parts[1] + ' : ' + parts[2] + ')';
}
