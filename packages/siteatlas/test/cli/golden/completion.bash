# Completion of siteatlas for bash.
_siteatlas() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
  local command="${COMP_WORDS[1]}" words="" flags="" files=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "ls tree find stats sync watch diff snapshot parse robots completion --help --version" -- "$current"))
    return
  fi
  case "$command" in
    ls)
      local all="--include --exclude --include-sitemap --exclude-sitemap --since --kind --lang --limit --sample --stratify --unique --rewrite-origin -u --strip-url -f --format -o --output --force --fields --csv-raw --ordered --fail-on-partial --json --no-robots --known --no-known --known-path --homepage-links --respect-robots --no-normalize --cross-host --strict -H --header -A --user-agent --proxy --allow-private --allow --https-only --concurrency --delay --crawl-delay -j --jobs --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-children --max-robots-sitemaps --max-barren-children --max-foreign-hosts --max-pages-per-sitemap --max-total-bytes --max-total-decoded-bytes --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        --kind) words="news image video feed" ;;
        --stratify) words="path sitemap" ;;
        -f|--format) words="auto urls ndjson json csv tsv tree parquet sqlite" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    tree)
      local all="--include-sitemap --exclude-sitemap --json -o --output --force --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --respect-robots --no-normalize --cross-host --strict -H --header -A --user-agent --proxy --allow-private --allow --https-only --concurrency --delay --crawl-delay --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-children --max-robots-sitemaps --max-barren-children --max-foreign-hosts --max-pages-per-sitemap --max-total-bytes --max-total-decoded-bytes --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    find)
      local all="--include-sitemap --exclude-sitemap --json -o --output --force --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --respect-robots --no-normalize --cross-host --strict -H --header -A --user-agent --proxy --allow-private --allow --https-only --concurrency --delay --crawl-delay -j --jobs --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-children --max-robots-sitemaps --max-barren-children --max-foreign-hosts --max-pages-per-sitemap --max-total-bytes --max-total-decoded-bytes --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    stats)
      local all="--include --exclude --include-sitemap --exclude-sitemap --since --kind --lang --limit --unique --json -o --output --force --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --respect-robots --no-normalize --cross-host --strict -H --header -A --user-agent --proxy --allow-private --allow --https-only --concurrency --delay --crawl-delay --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-children --max-robots-sitemaps --max-barren-children --max-foreign-hosts --max-pages-per-sitemap --max-total-bytes --max-total-decoded-bytes --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        --kind) words="news image video feed" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    sync)
      local all="--snapshot --exit-code --dry-run --no-trust --no-validators --mass-removal --redirect-checks -f --format -o --output --force --json --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --respect-robots --no-normalize --cross-host --strict -H --header -A --user-agent --proxy --allow-private --allow --https-only --concurrency --delay --crawl-delay --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-children --max-robots-sitemaps --max-barren-children --max-foreign-hosts --max-pages-per-sitemap --max-total-bytes --max-total-decoded-bytes --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        -f|--format) words="auto urls ndjson json csv tsv tree parquet sqlite" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        --snapshot|-o|--output|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    watch)
      local all="--every --max-every --on-change --webhook --snapshots --no-trust --no-validators --mass-removal --redirect-checks -f --format --json --no-robots --known --no-known --known-path --homepage-links --respect-robots --no-normalize --cross-host --strict -H --header -A --user-agent --proxy --allow-private --allow --https-only --concurrency --delay --crawl-delay -j --jobs --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-children --max-robots-sitemaps --max-barren-children --max-foreign-hosts --max-pages-per-sitemap --max-total-bytes --max-total-decoded-bytes --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        -f|--format) words="auto urls ndjson json csv tsv tree parquet sqlite" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        --snapshots|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    diff)
      local all="--exit-code --mass-removal -f --format -o --output --force --json -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        -f|--format) words="auto urls ndjson json csv tsv tree parquet sqlite" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    snapshot)
      local all="--include --exclude --since --limit --sample --stratify --unique --rewrite-origin -f --format -o --output --force --fields --csv-raw --json -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        --stratify) words="path sitemap" ;;
        -f|--format) words="auto urls ndjson json csv tsv tree parquet sqlite" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    parse)
      local all="--url --content-type --sitemaps --strict --include --exclude --since --kind --lang --limit --sample --stratify --unique --rewrite-origin -f --format -o --output --force --fields --csv-raw --json --fail-on-partial --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        --kind) words="news image video feed" ;;
        --stratify) words="path sitemap" ;;
        -f|--format) words="auto urls ndjson json csv tsv tree parquet sqlite" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    robots)
      local all="--can-fetch --as --strict --json -o --output --force -H --header -A --user-agent --proxy --allow-private --allow --https-only --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-bytes --max-redirects --max-retry-after -q --quiet -v --verbose --progress --color --log-file --config -h --help "
      case "$previous" in
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    completion)
      local all="-h --help bash zsh fish"
      case "$previous" in
        *) flags=$all ;;
      esac
      ;;
    *) return ;;
  esac
  COMPREPLY=($(compgen -W "$words $flags" -- "$current"))
  if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _siteatlas siteatlas
