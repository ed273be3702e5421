import { defineConfig } from "vite";

// Names without hashes: the files are embedded in the program, and an exported report holds
// their text. One script and one style sheet, so that a report needs no loader.
export default defineConfig({
  base: "./",
  build: {
    target: "es2021",
    outDir: "dist",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      output: {
        inlineDynamicImports: true,
        entryFileNames: "assets/app.js",
        assetFileNames: "assets/app[extname]",
      },
    },
  },
});
