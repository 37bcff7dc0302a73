/** The mark of an app or merchant: its logo, or the first letter of its name. Its name stands beside it, so it has none. */
import styles from './merchant-mark.module.css';

export function MerchantMark({ name, logoUrl }: { name: string; logoUrl?: string | null | undefined }) {
  if (logoUrl) return <img className={styles.logo} src={logoUrl} alt="" />;
  return (
    <span className={styles.letter} aria-hidden="true">
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
