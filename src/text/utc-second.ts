// A moment → the second that it is in, as statements, marks and pages write it: `2027-11-20T00:00:00Z`.

export function utcSecond(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
