// What the runner of a pipeline takes for a command, as its own documentation and source say. Stricter than any of them where they differ.

/** The commands in a log, each as the line that holds it. */
export function commandsIn(log: string): string[] {
  return log.split(/\r\n|\r|\n/).filter(line => {
    const text = line.replace(/^(?:\s|\u001b\[[0-9;]*m)*/, '')
    // `::name key=value::data`, at the start of a line.
    if (text.startsWith('::') && text.indexOf('::', 2) >= 0) return true
    // `##[name]data`, `##vso[…]`, `##teamcity[…]`, anywhere.
    return /##(?:vso|teamcity)?\[/i.test(text)
  })
}
