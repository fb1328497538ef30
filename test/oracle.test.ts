import "./oracle/oracle.test.ts";
