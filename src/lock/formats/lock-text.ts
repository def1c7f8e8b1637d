// What became of each agent of a lock, for people.
import { renderChecked } from '../render-lock.ts'
import type { LockFormat } from './lock-format.ts'

export const lockText = {
  name: 'text',
  render: ({ checked: { agents } }, { style, quiet }) =>
    agents
      .filter(({ is }) => !quiet || is !== 'same')
      .map(row => renderChecked(row, style))
      .join(''),
} as const satisfies LockFormat
