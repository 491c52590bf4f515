"""What chat applications write in place of a deleted message, and their notes of calls, joins and encryption.

Everything is in small letters, in many languages. Source: exports of WhatsApp (Android and iOS), LINE,
QQ and WeChat, and their translations as far as they are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from chatbot.corpus.phrases.media import listed

_DELETED = """
this message was deleted|you deleted this message|this message has been deleted|message deleted
waiting for this message|waiting for this message. this may take a while
diese nachricht wurde gelöscht|du hast diese nachricht gelöscht
ce message a été supprimé|vous avez supprimé ce message
se eliminó este mensaje|eliminaste este mensaje|este mensaje fue eliminado|has eliminado este mensaje
mensagem apagada|você apagou esta mensagem|essa mensagem foi apagada|esta mensagem foi apagada
esta mensagem foi eliminada|eliminou esta mensagem|apagou esta mensagem|mensagem eliminada
questo messaggio è stato eliminato|hai eliminato questo messaggio
dit bericht is verwijderd|dit bericht werd verwijderd|je hebt dit bericht verwijderd
u heeft dit bericht verwijderd
данное сообщение удалено|это сообщение удалено|сообщение удалено|вы удалили данное сообщение
вы удалили это сообщение
це повідомлення видалено|повідомлення видалено|ви видалили це повідомлення
ta wiadomość została usunięta|wiadomość usunięta|usunięto tę wiadomość|usunąłeś tę wiadomość
usunęłaś tę wiadomość
bu mesaj silindi|bu mesajı sildiniz|bu mesajı sildin
tämä viesti poistettiin|tämä viesti on poistettu|poistit tämän viestin
det här meddelandet togs bort|det här meddelandet har tagits bort|du tog bort det här meddelandet
du raderade det här meddelandet|detta meddelande togs bort|meddelandet raderades
denne meldingen ble slettet|du slettet denne meldingen|denne meldingen er slettet
denne besked blev slettet|du slettede denne besked|denne besked er slettet
tato zpráva byla odstraněna|tato zpráva byla smazána|smazali jste tuto zprávu
odstranili jste tuto zprávu
ezt az üzenetet törölték|ez az üzenet törölve lett|törölted ezt az üzenetet|az üzenet törölve
acest mesaj a fost șters|ați șters acest mesaj|ai șters acest mesaj
αυτό το μήνυμα διαγράφηκε|διαγράψατε αυτό το μήνυμα|το μήνυμα διαγράφηκε
تم حذف هذه الرسالة|لقد حذفت هذه الرسالة|حذفت هذه الرسالة
הודעה זו נמחקה|ההודעה נמחקה|מחקת הודעה זו|מחקת את ההודעה
यह मैसेज हटा दिया गया|यह संदेश हटा दिया गया|यह मैसेज डिलीट किया गया|आपने यह मैसेज हटा दिया
आपने यह संदेश हटा दिया|यह संदेश हटाया गया था|आपने यह मैसेज डिलीट किया
pesan ini telah dihapus|pesan ini dihapus|anda telah menghapus pesan ini|anda menghapus pesan ini
このメッセージは削除されました|このメッセージを削除しました|あなたはこのメッセージを削除しました
メッセージの送信を取り消しました
삭제된 메시지입니다|이 메시지는 삭제되었습니다|이 메시지를 삭제했습니다|메시지가 삭제되었습니다
이 메시지를 삭제하셨습니다
此消息已删除|此消息已被删除|您已删除此消息|你删除了这条消息|您删除了这条消息|消息已删除|这条消息已被删除
此訊息已刪除|此訊息已被刪除|您已刪除此訊息|你刪除了這則訊息|這則訊息已刪除|訊息已刪除|您刪除了此訊息
你已刪除此訊息
[deleted]|[message deleted]
"""

_DELETED_STARTS = """
this message was deleted by admin|waiting for this message.
diese nachricht wurde von admin|diese nachricht wurde vom admin|ce message a été supprimé par l'admin
se eliminó este mensaje por|mensagem apagada pelo admin|questo messaggio è stato eliminato dall'admin
"""

_CALLS = """
missed voice call|missed video call|missed group voice call|missed group video call|missed call
silenced voice call|silenced video call
verpasster sprachanruf|verpasster videoanruf|verpasster anruf
appel vocal manqué|appel vidéo manqué|appel manqué
llamada perdida|llamada de voz perdida|videollamada perdida
chamada de voz perdida|chamada de vídeo perdida|ligação de voz perdida|ligação de vídeo perdida
chamada perdida
chiamata vocale persa|videochiamata persa|chiamata persa
gemiste spraakoproep|gemiste video-oproep|gemiste oproep
пропущенный аудиозвонок|пропущенный видеозвонок|пропущенный звонок
пропущений аудіодзвінок|пропущений відеодзвінок|пропущений голосовий виклик|пропущений відеовиклик
nieodebrane połączenie głosowe|nieodebrane połączenie wideo|nieodebrane połączenie
cevapsız sesli arama|cevapsız görüntülü arama
vastaamaton äänipuhelu|vastaamaton videopuhelu|vastaamaton puhelu
missat röstsamtal|missat videosamtal|missat samtal
tapt taleanrop|tapt videoanrop|ubesvart taleanrop|ubesvart videoanrop|ubesvart anrop
mistet taleopkald|mistet videoopkald|ubesvaret taleopkald|ubesvaret videoopkald|ubesvaret opkald
zmeškaný hlasový hovor|zmeškaný videohovor|zmeškaný hovor
nem fogadott hanghívás|nem fogadott videóhívás|nem fogadott hívás
apel vocal pierdut|apel video pierdut|apel pierdut
αναπάντητη φωνητική κλήση|αναπάντητη βιντεοκλήση|αναπάντητη κλήση
مكالمة صوتية فائتة|مكالمة فيديو فائتة|مكالمة فائتة
שיחה קולית שלא נענתה|שיחת וידאו שלא נענתה|שיחה שלא נענתה
मिस्ड वॉइस कॉल|मिस्ड वीडियो कॉल|मिस्ड कॉल
panggilan suara tak terjawab|panggilan video tak terjawab|panggilan tak terjawab
不在着信（音声）|不在着信（ビデオ）|音声通話の不在着信|ビデオ通話の不在着信|不在着信
부재중 음성 통화|부재중 영상 통화|부재중 전화
未接语音通话|未接视频通话|未接来电|通话时长|对方已取消|对方无应答|对方已拒绝|已取消通话
未接語音來電|未接視訊來電|未接語音通話|未接視訊通話|未接來電|通話時長
"""

# People type these words too: they count only with the mark that iOS puts before a length or an outcome.
_CALL_KINDS = """
voice call|video call|sprachanruf|videoanruf|appel vocal|appel vidéo|llamada de voz|videollamada
chamada de voz|chamada de vídeo|ligação de voz|ligação de vídeo|chiamata vocale|videochiamata
spraakoproep|video-oproep|аудиозвонок|видеозвонок|sesli arama|görüntülü arama|äänipuhelu|videopuhelu
röstsamtal|videosamtal|语音通话|视频通话|語音通話|視訊通話
"""

_NOTICE_STARTS = """
messages and calls are end-to-end encrypted.|messages you send to this chat and calls are now secured
messages you send to this group are now secured|messages to this chat and calls are now secured
messages to this group are now secured|messages and calls are now end-to-end encrypted
messages are end-to-end encrypted.|this chat is with a business account|your security code with
nachrichten und anrufe sind ende-zu-ende-verschlüsselt|nachrichten und anrufe sind mit ende-zu-ende
nachrichten, die du in diesem chat sendest|nachrichten in diesem chat sowie anrufe
les messages et les appels sont chiffrés de bout en bout
les messages et appels sont chiffrés de bout en bout
los mensajes y las llamadas están cifrados de extremo a extremo
los mensajes y llamadas están cifrados de
as mensagens e as chamadas são protegidas com a criptografia|as mensagens e as ligações são protegidas
as mensagens e as chamadas são encriptadas|as mensagens e chamadas são protegidas com a criptografia
i messaggi e le chiamate sono crittografati end-to-end|i messaggi e le chiamate sono crittografati
berichten en oproepen worden end-to-end versleuteld|berichten en gesprekken zijn end-to-end
berichten en oproepen zijn end-to-end
сообщения и звонки защищены сквозным шифрованием|сообщения и звонки зашифрованы сквозным
повідомлення та дзвінки захищено наскрізним|повідомлення й дзвінки захищені наскрізним
wiadomości i połączenia są szyfrowane end-to-end|wiadomości i połączenia są w pełni szyfrowane
mesajlar ve aramalar uçtan uca şifrelidir|mesajlar ve aramalar uçtan uca şifreli
viestit ja puhelut suojataan täysin salauksella|viestit ja puhelut ovat täysin salattuja
viestit ja puhelut on suojattu|viestit ja puhelut ovat päästä päähän
meddelanden och samtal är totalsträckskrypterade|meddelanden och samtal är krypterade
meldinger og anrop er ende-til-ende-kryptert|meldinger og samtaler er ende-til-ende-kryptert
beskeder og opkald er end-to-end-krypteret|beskeder og opkald er krypteret
zprávy a hovory jsou koncově šifrované|zprávy a hovory jsou šifrované
az üzenetek és a hívások végpontok közti titkosítással|az üzenetek és hívások végpontok
mesajele și apelurile sunt criptate integral|mesajele și apelurile sunt criptate
τα μηνύματα και οι κλήσεις κρυπτογραφούνται|τα μηνύματα και οι κλήσεις είναι κρυπτογραφημένα
الرسائل والمكالمات مشفرة تمامًا بين الطرفين|الرسائل والمكالمات مشفرة
ההודעות והשיחות מוצפנות מקצה לקצה|הודעות ושיחות מוצפנות מקצה לקצה
मैसेज और कॉल एंड-टू-एंड एन्क्रिप्टेड हैं|संदेश और कॉल एंड-टू-एंड एन्क्रिप्टेड
pesan dan panggilan terenkripsi secara end-to-end|pesan dan panggilan dienkripsi secara end-to-end
メッセージと通話はエンドツーエンドで暗号化|メッセージと通話はエンドツーエンド暗号化
메시지와 통화는 종단간 암호화됩니다|메시지와 통화는 종단 간 암호화
消息和通话已进行端到端加密|消息和通话都进行端到端加密|訊息和通話經端對端加密|訊息與通話經過端對端加密
訊息和通話都經過端對端加密
"""

_LINE_CALLS = """
☎ call time|☎ missed call|☎ canceled call|☎ cancelled call|☎ no answer|☎ unanswered call|☎ call canceled
☎ 通話時間|☎ 不在着信|☎ 通話をキャンセル|☎ キャンセル|☎ 応答なし|☎ 通話に応答がありません
☎ 通話時長|☎ 未接來電|☎ 未接来电|☎ 已取消|☎ 取消|☎ 無回應|☎ 无应答|☎ 通话时长|☎ 통화|☎ 부재중
"""

_NOTICE_ENDS = """
joined the group.|left the group.|has joined the group.
has left the group.
撤回了一条消息|撤回了一條訊息|撤回了成员的一条消息|撤回了一条成员消息|加入本群|加入本群。|加入了本群
加入了本群。
加入了群聊|加入了群聊。|退出本群|退出本群。|退出了本群|退出了本群。|退出了群聊|退出群聊
がグループに参加しました|がグループに参加しました。|がグループを退会しました|がグループを退会しました。
がトークに参加しました。|が参加しました。|が退出しました。|がトークから退出しました。
がグループから退出しました。
加入群組|加入群組。|已加入群組|已加入群組。|加入聊天|加入聊天。|已加入聊天|已離開群組|已離開群組。
退出群組|退出群組。
님이 그룹에 참가했습니다.|님이 들어왔습니다.|님이 나갔습니다.|님이 그룹에서 나갔습니다.
"""


def deleted_phrases() -> Iterator[str]:
    """The texts that stand for a deleted message."""
    return listed(_DELETED)


def deleted_starts() -> Iterator[str]:
    """How longer texts of that kind begin."""
    return listed(_DELETED_STARTS)


def call_phrases() -> Iterator[str]:
    """The texts that note a call; a time or a length may follow."""
    return listed(_CALLS)


def call_kinds() -> Iterator[str]:
    """The words for a call that took place."""
    return listed(_CALL_KINDS)


def notice_starts() -> Iterator[str]:
    """How notices of the application itself begin."""
    return listed(_NOTICE_STARTS + _LINE_CALLS)


def notice_ends() -> Iterator[str]:
    """How notices about people end, after a name."""
    return listed(_NOTICE_ENDS)
