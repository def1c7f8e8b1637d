// The flags of options. Messages name an option as a program gives it; the command line turns that into the flag.

/** Returns the flag without dashes: `trust-policy` for `trustPolicy`. */
export function flagName(option: string): string {
  return option.replace(/[A-Z]|_/g, letter => (letter === '_' ? '-' : `-${letter.toLowerCase()}`))
}

/** Turns a hint of the library into one for a person at the command line. Options are the words in backticks. */
export function asFlags(hint: string): string {
  return hint.replace(/`([a-z][A-Za-z_]*)`/g, (_, option: string) => `--${flagName(option)}`)
}
