/**
 * Random numbers from 0 to 1 that are the same for the same seeds: mulberry32 (Tommy Ettinger, public domain), begun at a
 * mix of the seeds, so that each reading of each fault has numbers of its own.
 */
export function seededRandom(...seeds: readonly number[]): () => number {
  let state = seeds.reduce((mixed, seed) => mix(mixed ^ seed), 0x9e3779b9);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Spreads every bit of a seed over the whole number (the finaliser of MurmurHash3). */
function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** The items in an order that the random numbers give (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const chosen = Math.floor(random() * (last + 1));
    const item = result[last];
    const other = result[chosen];
    if (item === undefined || other === undefined) continue;
    result[last] = other;
    result[chosen] = item;
  }
  return result;
}
