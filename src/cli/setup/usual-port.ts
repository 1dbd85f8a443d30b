/** Where the embedded service listens when it runs alone. */
export const usualServicePort = 7421;
