/** Who is paid: by name and logo as the gateway tells, or by address alone. */
import { Address } from '../../ui/addresses/address.tsx';
import styles from './payer.module.css';

type MerchantHeadProps = {
  merchant: { name: string; logoUrl: string | null } | undefined;
  address: string;
  about: string | undefined;
};

export function MerchantHead({ merchant, address, about }: MerchantHeadProps) {
  return (
    <div className={styles.merchant}>
      {merchant?.logoUrl ? (
        <img className={styles.logo} src={merchant.logoUrl} alt="" />
      ) : (
        merchant && (
          <span className={styles.letter} aria-hidden="true">
            {[...merchant.name][0]?.toUpperCase()}
          </span>
        )
      )}
      <div className={styles.names}>
        <h3>{merchant ? merchant.name : <Address value={address} />}</h3>
        {about && <p className={styles.soft}>{about}</p>}
      </div>
    </div>
  );
}
