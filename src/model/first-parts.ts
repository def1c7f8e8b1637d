// Switches the first parts of readers off, for tests. A first part accepts plain input and builds nothing but its value; the strict part reads
// everything else and explains what is wrong. Tests compare the two. No option and no environment variable reaches this switch.

let isOn = true

/** Reports whether readers may use their first parts. Only tests make it false. */
export function usesFirstParts(): boolean {
  return isOn
}

/** Turns the first parts on or off. Only tests call it. */
export function useFirstParts(isWanted: boolean): void {
  isOn = isWanted
}
