/** A line of a command, and where it is run. */
export interface Line {
  readonly cwd: string
  /** The words after the name of the command. */
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** Calls the function of the library with what the line says. A command that takes many targets answers a list of what the function answers. */
export type AnswerOf = (line: Line) => Promise<unknown>
