/** The longest timer that Node keeps, milliseconds; one more fires at once. */
export const longestTimer: number = 2 ** 31 - 1;
