// tools/list: what is granted at this moment.
import { type Method, MethodRefused, TOO_MANY } from './method.ts'

export const toolsList = {
  name: 'tools/list',
  capability: 'tools',
  async answer({ signal }, { served, pending }) {
    const tools = await pending.take(0, signal, () => served.list())
    if (tools === undefined) throw new MethodRefused('internal_error', TOO_MANY)
    return { tools }
  },
} as const satisfies Method
