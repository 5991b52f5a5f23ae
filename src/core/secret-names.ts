/** Words in the names of secrets. `AUTHOR` is not one of them, and neither is `PWD` alone. */
const SECRET_WORDS =
  /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|CREDS|AUTH(?!OR)|PRIVATE|DSN|COOKIE|SIGNATURE|WEBHOOK|CONNECTION_?STRING|(^|_)PASS(_|$)|_PWD$|(^|_)PAT$/i;

/** Whether the value of a variable with this name is probably a secret. */
export const looksSecret = (name: string): boolean => SECRET_WORDS.test(name);
