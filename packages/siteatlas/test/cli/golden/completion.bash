# Completion of siteatlas for bash.
_siteatlas() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
  local command="${COMP_WORDS[1]}" words="" list="" flags="" files="" prefix=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "ls tree find stats lint check report robots compare sync watch diff snapshot parse completion help --help --version" -- "$current"))
    return
  fi
  # In "snapshot show FILE", the action decides which flags there are.
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$command ${COMP_WORDS[2]}" in 'snapshot show'|'snapshot export') command="$command ${COMP_WORDS[2]}" ;; esac
  fi
  # bash splits --format=csv into three words, unless COMP_WORDBREAKS lacks the sign.
  if [ "$previous" = "=" ]; then previous="${COMP_WORDS[COMP_CWORD-2]}"
  elif [ "$current" = "=" ]; then current=""
  else case "$current" in --*=*) previous="${current%%=*}"; prefix="$previous="; current="${current#*=}" ;; esac
  fi
  case "$command" in
    'ls')
      local all="-o --output -f --format --json --fields --force --ordered --csv-raw --include --exclude --since --kind --limit --sample --unique --lang --stratify --rewrite-origin -u --strip-url --include-sitemap --exclude-sitemap --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots -j --jobs --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        -f|--format) words="urls ndjson json csv tsv tree parquet sqlite" ;;
        --fields) list="url lastmod lastmod_precision lastmod_text changefreq priority sitemap site kind lang title section published published_precision published_text url_text feed_url mobile news images videos alternates media page_map" ;;
        --kind) list="news image video feed page" ;;
        --stratify) words="path sitemap" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    'tree')
      local all="--include-sitemap --exclude-sitemap --json -o --output --force --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'find')
      local all="--include-sitemap --exclude-sitemap --json -o --output --force --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots -j --jobs --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    'stats')
      local all="--svg --include --exclude --since --kind --limit --unique --lang --include-sitemap --exclude-sitemap --json -o --output --force --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --svg) words="sections months days ages languages" ;;
        --kind) list="news image video feed page" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'lint')
      local all="--origin --snapshot --fix --write --fail-on --rule --ignore --baseline --update-baseline -f --format --json -o --output --force --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --fail-on) words="error warning never" ;;
        -f|--format) words="text json sarif github junit markdown" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        --snapshot|--baseline|-o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'check')
      local all="--sample --stratify --include --exclude --state --max-checks --headers-only --fail-on --rule --ignore --baseline --update-baseline -f --format --json -o --output --force --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --stratify) words="path sitemap" ;;
        --fail-on) words="error warning never" ;;
        -f|--format) words="text json sarif github junit markdown" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        --state|--baseline|-o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'report')
      local all="--title --logo --lint --findings --compare --png --pdf --browser --include-sitemap --exclude-sitemap -f --format --json -o --output --force --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        -f|--format) words="html markdown json" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        --logo|--findings|--compare|--png|--pdf|-o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'robots')
      local all="--can-fetch --as --strict --json -o --output --force -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-bytes --deadline -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    'compare')
      local all="--only --ignore-parts --origin --agent --status --column --type-a --type-b --exit-code --include --exclude -f --format -o --output --force --json --csv-raw --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --only) list="a b both" ;;
        --ignore-parts) list="scheme www slash query html case" ;;
        --type-a) words="urls csv json log" ;;
        --type-b) words="urls csv json log" ;;
        -f|--format) words="urls ndjson json csv tsv" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'sync')
      local all="--snapshot --exit-code --dry-run --no-trust --no-validators --mass-removal --redirect-checks --verify --verify-requests --history --webhook --webhook-secret-file --hook-on --log -f --format -o --output --force --json --fail-on-partial --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --hook-on) list="changes failures" ;;
        --log) words="text json" ;;
        -f|--format) words="urls ndjson json" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        --snapshot|--webhook-secret-file|-o|--output|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    'watch')
      local all="--every --max-every --on-change --on-change-timeout --webhook --webhook-secret-file --hook-on --snapshots --no-trust --no-validators --mass-removal --redirect-checks --verify --verify-requests --history --hosts --metrics --log -f --format --json --no-robots --known --no-known --known-path --homepage-links --no-normalize --cross-host --html-sitemaps --llms --strict -H --header --auth -A --user-agent --auth-file --proxy --no-proxy --cacert --insecure --https-only --allow --allow-private --delay --concurrency --random-delay --crawl-delay --respect-robots -j --jobs --deadline --max-pages --max-sitemaps --max-depth --max-indexes --max-places --max-held-bytes --max-held-ratio --max-foreign-hosts --max-total-bytes --max-total-decoded-bytes --max-children --max-robots-sitemaps --max-barren-children --max-pages-per-sitemap --max-bytes --max-decoded-bytes --max-compression-ratio --max-cpu --retries --backoff --timeout --headers-timeout --idle-timeout --min-speed --max-redirects --max-retry-after --max-crawl-delay --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --hook-on) list="changes failures" ;;
        --log) words="text json" ;;
        -f|--format) words="urls ndjson" ;;
        --known) words="usual thorough" ;;
        --homepage-links) words="always when-empty never" ;;
        --cross-host) words="follow same-site none" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        --webhook-secret-file|--snapshots|--hosts|--auth-file|--cacert|--log-file|--config) files=1 ;;
        *) flags=$all ;;
      esac
      ;;
    'diff')
      local all="--exit-code -f --format -o --output --force --json -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        -f|--format) words="urls ndjson json" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'snapshot')
      local all="--include --exclude --since --limit --sample --unique --stratify --rewrite-origin -o --output -f --format --json --fields --force --csv-raw -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        snapshot) words="show export"; flags=$all ;;
        --stratify) words="path sitemap" ;;
        -f|--format) words="urls ndjson json csv tsv parquet sqlite" ;;
        --fields) list="url lastmod lastmod_precision lastmod_text changefreq priority sitemap site kind lang title section published published_precision published_text url_text feed_url mobile news images videos alternates media page_map" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'parse')
      local all="--url --content-type --sitemaps --html-sitemaps --llms --strict --include --exclude --since --kind --limit --sample --unique --lang --stratify --rewrite-origin -o --output -f --format --json --fields --force --csv-raw --fail-on-partial --max-element-depth --max-attributes --max-namespaces --max-name-bytes --max-token-bytes --max-text-length --max-url-length --max-images --max-videos --max-alternates --max-gzip-members --max-compression-layers --max-issues --max-robots-bytes --max-robots-line-bytes -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --kind) list="news image video feed page" ;;
        --stratify) words="path sitemap" ;;
        -f|--format) words="urls ndjson json csv tsv parquet sqlite" ;;
        --fields) list="url lastmod lastmod_precision lastmod_text changefreq priority sitemap site kind lang title section published published_precision published_text url_text feed_url mobile news images videos alternates media page_map" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'completion')
      local all="-h --help"
      case "$previous" in
        completion) words="bash zsh fish"; flags=$all ;;
        *) flags=$all ;;
      esac
      ;;
    'snapshot show')
      local all="--json -o --output --force -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    'snapshot export')
      local all="--include --exclude --since --limit --sample --unique --stratify --rewrite-origin -o --output -f --format --json --fields --force --csv-raw -v --verbose -q --quiet --progress --color --log-file --config -h --help"
      case "$previous" in
        --stratify) words="path sitemap" ;;
        -f|--format) words="urls ndjson json csv tsv parquet sqlite" ;;
        --fields) list="url lastmod lastmod_precision lastmod_text changefreq priority sitemap site kind lang title section published published_precision published_text url_text feed_url mobile news images videos alternates media page_map" ;;
        --progress) words="auto plain json none" ;;
        --color) words="auto always never" ;;
        -o|--output|--log-file|--config) files=1 ;;
        *) flags=$all; files=1 ;;
      esac
      ;;
    help) words="ls tree find stats lint check report robots compare sync watch diff snapshot parse completion limits fields config exit-codes" ;;
    *) return ;;
  esac
  if [ -n "$list" ]; then
    # After a comma, complete the next word of the list.
    case "$current" in *,*) prefix="$prefix${current%,*},"; current="${current##*,}" ;; esac
    COMPREPLY=($(compgen -P "$prefix" -W "$list" -- "$current"))
    return
  fi
  COMPREPLY=($(compgen -P "$prefix" -W "$words $flags" -- "$current"))
  if [ -n "$files" ]; then COMPREPLY+=($(compgen -P "$prefix" -f -- "$current")); fi
}
complete -o filenames -F _siteatlas siteatlas
