// Whether readers use their first parts. A first part accepts what is plain, and says nothing of all else, which the strict part then reads and
// explains. Both have to give the same, so tests turn the first parts off and compare. Nothing else does, and no option or variable can.

let isOn = true

/** False only inside a test that compares a strict part with its first part. */
export function usesFirstParts(): boolean {
  return isOn
}

/** For tests alone. */
export function useFirstParts(isWanted: boolean): void {
  isOn = isWanted
}
