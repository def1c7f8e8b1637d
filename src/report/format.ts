// A format that a command reports in. Each command has a list of them.

export interface ReportFormat<Report, View, Text = string> {
  /** The value of `--format`. */
  readonly name: string
  /** Its output is read as commands by the runner of a pipeline, so it must keep strangers' text out of them. */
  readonly speaks?: 'commands'
  /** Everything for standard output: printable, and ending in a newline unless empty. */
  render(report: Report, view: View): Text
}
