// A format that a command reports in. Each command has a list of them.

export interface ReportFormat<Report, View, Text = string> {
  /** The value of `--format`. */
  readonly name: string
  /** Its output is read as commands by the runner of a pipeline, so it must keep strangers' text out of them. */
  readonly speaks?: 'commands'
  /** Everything for standard output: printable, and ending in a newline unless empty. */
  render(report: Report, view: View): Text
}

export function formatNamed<Format extends { readonly name: string }>(
  formats: readonly Format[],
  name: string,
): Format {
  const format = formats.find(one => one.name === name)
  if (format === undefined) throw new TypeError(`no format ${name}`)
  return format
}
