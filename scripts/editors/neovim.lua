-- Sends one prompt in a CodeCompanion chat and prints the chat. For `nvim --headless --clean -u`; see
-- `neovim.test.mjs`. PLUGINS: folders of the plugins. CONFIGURATION: output of `symposium-acp-agent setup --neovim`.
for folder in vim.gsplit(vim.env.PLUGINS, ":") do
  vim.opt.runtimepath:append(folder)
end
vim.cmd("runtime! plugin/codecompanion.lua")
dofile(vim.env.CONFIGURATION)

local function quit(code)
  vim.cmd(code == 0 and "qall!" or "cquit!")
end

local function print_chat(buffer)
  io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n") .. "\n")
end

vim.api.nvim_create_autocmd("VimEnter", {
  callback = vim.schedule_wrap(function()
    vim.cmd("CodeCompanionChat")
    local chat = require("codecompanion").last_chat()
    vim.api.nvim_create_autocmd("User", {
      pattern = "CodeCompanionChatDone",
      callback = vim.schedule_wrap(function()
        print_chat(chat.bufnr)
        quit(0)
      end),
    })
    -- A prompt that is sent earlier makes CodeCompanion start the agent twice, and can remain without an answer.
    vim.wait(60000, function()
      return chat.acp_connection ~= nil and chat.acp_connection:is_ready()
    end)
    vim.api.nvim_buf_set_lines(chat.bufnr, -1, -1, false, { vim.env.PROMPT })
    chat:submit()
  end),
})
