/** The longest timer that Node supports, milliseconds; a longer one fires at once. */
export const longestTimer: number = 2 ** 31 - 1;
