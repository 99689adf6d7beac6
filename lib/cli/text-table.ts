/** Lays out rows under headings, columns two blanks apart, as kubectl and istioctl print; no trailing blanks. */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  return [headings, ...rows]
    .map((row) =>
      headings
        .map((_, column) => (row[column] ?? '').padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
