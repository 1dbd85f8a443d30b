/** How many letters two names are apart: each put in, left out or changed, or swapped with its neighbour. */
export function lettersApart(one: string, other: string): number {
  const rows: number[][] = Array.from({ length: one.length + 1 }, (_, at) => [at]);
  const cell = (row: number, column: number) => rows[row]?.[column] ?? Infinity;
  for (let row = 0; row <= one.length; row += 1)
    for (let column = 0; column <= other.length; column += 1) {
      if (row === 0 && column === 0) continue;
      const isSwap =
        one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1] && row > 1 && column > 1;
      const isSame = row > 0 && column > 0 && one[row - 1] === other[column - 1];
      const ways = [cell(row - 1, column) + 1, cell(row, column - 1) + 1];
      ways.push(cell(row - 1, column - 1) + (isSame ? 0 : 1));
      if (isSwap) ways.push(cell(row - 2, column - 2) + 1);
      (rows[row] ??= [])[column] = Math.min(...ways);
    }
  return cell(one.length, other.length);
}
