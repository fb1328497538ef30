/** Drops a table that nothing wrote. */
export const control007 = "DROP TABLE spot_check;";
