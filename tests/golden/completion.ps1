# Completion of svc for PowerShell 7 or newer.
#   this session:   svc completion powershell | Out-String | Invoke-Expression
#   every session:  svc completion powershell >> $PROFILE

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @()
    $next = @('--next')
    foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
        $extent = $element.Extent
        if ($extent.StartOffset -ge $cursorPosition) { break }
        if ($extent.EndOffset -ge $cursorPosition) {
            $typed = $extent.Text.Substring(0, $cursorPosition - $extent.StartOffset)
            $words += $typed.Trim([char[]]"'""")
            $next = @()
            break
        }
        $quoted = $element -is [System.Management.Automation.Language.StringConstantExpressionAst]
        $words += if ($quoted) { $element.Value } else { $extent.Text }
    }

    $status = $global:LASTEXITCODE
    $delegate, $lines = @(& svc '__complete' @next '--' @words 2>$null)
    $global:LASTEXITCODE = $status

    foreach ($line in $lines) {
        $value, $about = $line -split "`t", 2
        if (-not $about) { $about = $value }
        $text = $value
        if ($value -notmatch '^[\w/.=:-]+$') {
            $text = [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value)
            $text = "'$text'"
        }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
    if ($lines) { return }

    switch ($delegate) {
        # PowerShell completes paths where a completer returns nothing.
        'files' { }
        'arguments' { }
        'command' {
            $name = [System.Management.Automation.WildcardPattern]::Escape($wordToComplete) + '*'
            Get-Command -Name $name -CommandType Application | Select-Object -ExpandProperty Name | Sort-Object -Unique
        }
        # It completes nothing where one returns null.
        default { $null }
    }
}
