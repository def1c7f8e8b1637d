// Durations and moments as people and statements write them: `90d`, `12h`, `2027-11-20T00:00:00Z`.
const UNITS = { d: 86_400, h: 3600, m: 60 } as const
const DURATION = /^([1-9][0-9]{0,5})([dhm])$/

export const DURATION_FORM = 'a whole number with d, h or m behind it, as 90d, 12h or 15m'

/** In seconds; undefined for anything else. */
export function secondsIn(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * UNITS[unit as keyof typeof UNITS]
}

/** The longest unit that says it in one number: `90d`. Seconds that are no whole minutes stay seconds. */
export function durationText(seconds: number): string {
  for (const [unit, size] of Object.entries(UNITS))
    if (seconds % size === 0 && seconds > 0) return `${seconds / size}${unit}`
  return `${seconds} s`
}

/** A moment and a time after it, as a UTC second. */
export function secondAfter(now: Date, seconds: number): string {
  return utcSecond(new Date(now.getTime() + seconds * 1000))
}

/** How long ago, or how long from now; `3d`, `5h`, `12m`. */
export function timeBetween(from: Date, to: Date): string {
  const seconds = Math.abs(to.getTime() - from.getTime()) / 1000
  const unit = seconds >= 2 * 86_400 ? 86_400 : seconds >= 2 * 3600 ? 3600 : 60
  return seconds < 60 ? 'less than a minute' : durationText(Math.floor(seconds / unit) * unit)
}

export function utcSecond(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
