// The columns of a text in a terminal: the only file that knows the library. `width` asks it for texts that are not plain.
export { default as stringWidth } from 'fast-string-width'
