/** Words in the names of variables that hold secrets. `AUTHOR` is not one of them, and `PWD` alone is not either. */
const SECRET_WORDS =
  /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|CREDS|AUTH(?!OR)|PRIVATE|DSN|COOKIE|SIGNATURE|WEBHOOK|CONNECTION_?STRING|(^|_)PASS(_|$)|_PWD$|(^|_)PAT$/i;

/** Whether a variable with this name is likely to hold a secret. */
export const looksSecret = (name: string): boolean => SECRET_WORDS.test(name);
