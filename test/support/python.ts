// Python as the system has it. What a manager of versions puts before it in PATH takes half a second of processor time for each start.
import { existsSync } from 'node:fs'

const OF_THE_SYSTEM = '/usr/bin/python3'

export const PYTHON: string = existsSync(OF_THE_SYSTEM) ? OF_THE_SYSTEM : 'python3'
