/** The values in order, in arrays of `size`; the last one may be shorter, none is empty. */
export async function* inChunks<T>(values: AsyncIterable<T> | Iterable<T>, size: number): AsyncIterable<readonly T[]> {
  let chunk: T[] = [];
  for await (const value of values) {
    chunk.push(value);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}
