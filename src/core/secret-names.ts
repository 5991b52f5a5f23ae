/** Words in a name behind which people keep secrets. `AUTHOR` is none of them, and neither is `PWD` alone. */
const SECRET_WORDS =
  /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|CREDS|AUTH(?!OR)|PRIVATE|DSN|COOKIE|SIGNATURE|WEBHOOK|CONNECTION_?STRING|(^|_)PASS(_|$)|_PWD$|(^|_)PAT$/i;

/** Whether what stands behind such a name is likely a secret. */
export const looksSecret = (name: string): boolean => SECRET_WORDS.test(name);
