// interfaces.json → the words by which a screen describes a tool and its calls. They come from the author, and decide nothing. Pure.
import { INTERFACES_FILE, recordsIn } from '../agent-tool/records.ts'
import { recordsOf } from '../agent-tool/tool-records.ts'
import { own } from '../model/own.ts'
import { printable } from '../text/printable.ts'

export interface ToolWords {
  /** `ui_summary`: what the tool does, in short. */
  readonly summary?: string
  /** `activity_description`: what it is doing while a call runs. */
  readonly activity?: string
}

/** Characters of one of them: it is one line of a screen. */
const MOST_CHARACTERS = 200

/** @param fileAt the parsed JSON file of the agent at a path, if there is one */
export function wordsIn(fileAt: (path: string) => unknown): (id: string) => ToolWords {
  const find = recordsOf(recordsIn(fileAt(INTERFACES_FILE)))
  return id => {
    const { interface: face } = find(id)
    const [summary, activity] = [shown(own(face, 'ui_summary')), shown(own(face, 'activity_description'))]
    return { ...(summary !== undefined && { summary }), ...(activity !== undefined && { activity }) }
  }
}

function shown(text: unknown): string | undefined {
  return typeof text === 'string' && text.trim() !== '' ? printable(text.trim(), MOST_CHARACTERS) : undefined
}
