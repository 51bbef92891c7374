/** Returns the median of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Returns rows of one shape as a Markdown table; numbers are aligned right. */
export function table(rows) {
  const columns = Object.keys(rows[0]);
  const right = (column) =>
    rows.every((row) => row[column] === "" || !Number.isNaN(Number(row[column])));
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(columns),
    line(columns.map((column) => (right(column) ? "---:" : "---"))),
    ...rows.map((row) => line(columns.map((column) => row[column]))),
  ].join("\n");
}
