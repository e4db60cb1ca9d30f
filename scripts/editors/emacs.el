;;; Sends one prompt in an agent-shell and prints the buffer.  -*- lexical-binding: t; -*-
;; For `emacs -Q --batch -l'; see `emacs.test.mjs'.  PLUGINS: folders of agent-shell and its packages.
;; CONFIGURATION: output of `symposium-acp-agent setup --emacs'.
(dolist (folder (split-string (getenv "PLUGINS") path-separator))
  (add-to-list 'load-path folder))
(require 'compat nil t) ; has the functions of Emacs 29 that agent-shell needs
(require 'seq)
(require 'agent-shell)
(setq agent-shell-session-strategy 'new
      agent-shell-show-welcome-message nil)

(let ((byte-compile-error-on-warn t))
  (unless (byte-compile-file (getenv "CONFIGURATION"))
    (kill-emacs 1)))
(load (getenv "CONFIGURATION") nil t t)

(defun print-shell (buffer)
  "Print the text of BUFFER."
  (princ (concat (with-current-buffer buffer
                   (buffer-substring-no-properties (point-min) (point-max)))
                 "\n")))

(symposium-start)
(let ((buffer (seq-find (lambda (each)
                          (with-current-buffer each (derived-mode-p 'agent-shell-mode)))
                        (buffer-list)))
      ready answered)
  (agent-shell-subscribe-to :shell-buffer buffer :event 'prompt-ready
                            :on-event (lambda (_) (setq ready t)))
  (agent-shell-subscribe-to :shell-buffer buffer :event 'turn-complete
                            :on-event (lambda (_) (setq answered t)))
  (with-timeout (60 (print-shell buffer) (kill-emacs 1))
    (while (not ready) (accept-process-output nil 1))
    (agent-shell-insert :text (getenv "PROMPT") :submit t :no-focus t :shell-buffer buffer)
    (while (not answered) (accept-process-output nil 1)))
  (print-shell buffer)
  (kill-emacs 0))
