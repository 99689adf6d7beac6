const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** An age as kubectl writes it: two digits of the largest units that say enough, e.g. `8s`, `3m20s`, `2d4h`. */
export function formatAge(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 10 * MINUTE) return pair(ms, MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return pair(ms, HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY) return pair(ms, DAY, 'd', HOUR, 'h');
  return `${Math.floor(ms / DAY)}d`;
}

function pair(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return rest === 0
    ? `${Math.floor(ms / large)}${largeName}`
    : `${Math.floor(ms / large)}${largeName}${rest}${smallName}`;
}
