export const control007 = "DROP TABLE spot_check;";
