/** The mark of an app or merchant: its logo, or the first letter of its name. The name is shown next to it, so it has no accessible name. */
import styles from './merchant-mark.module.css';

export function MerchantMark({ name, logoUrl }: { name: string; logoUrl?: string | null | undefined }) {
  if (logoUrl) return <img className={styles.logo} src={logoUrl} alt="" />;
  return (
    <span className={styles.letter} aria-hidden="true">
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
