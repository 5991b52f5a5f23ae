const MOST_LABELS = 50;

/** A table of counts without a prototype: its labels are whatever the stream calls things. */
export const emptyLabels = (): Record<string, number> => Object.create(null) as Record<string, number>;

/** Counts some more of these; beyond a number of labels, all further ones together. */
export function countLabel(labels: Record<string, number>, label: string, count = 1): void {
  const isListed = label in labels || Object.keys(labels).length < MOST_LABELS;
  const name = isListed ? label : 'others';
  labels[name] = (labels[name] ?? 0) + count;
}
