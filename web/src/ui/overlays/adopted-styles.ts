/**
 * Replaces `react-style-singleton`, with which Radix prevents scrolling of the page behind a dialog: the original
 * writes a style element, which the page's policy refuses. A sheet that a script constructs is allowed.
 */
import { useEffect } from 'react';

/** Returns a component that applies its `styles` while it is mounted anywhere. */
export function styleSingleton() {
  let sheet: CSSStyleSheet | undefined;
  let users = 0;
  // biome-ignore lint/correctness/noComponentHookFactories: required by the replaced interface; each is created once, at module level.
  return function Sheet({ styles }: { styles: string }) {
    useEffect(() => {
      if (!sheet) {
        sheet = new CSSStyleSheet();
        sheet.replaceSync(styles);
        document.adoptedStyleSheets.push(sheet);
      }
      users += 1;
      return () => {
        users -= 1;
        if (users > 0) return;
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
        sheet = undefined;
      };
    }, [styles]);
    return null;
  };
}
